// expected error: inheritance from a final class
import ListoryUI
import UIKit

/// A subclass of an adapter, instead of a delegate that the adapter forwards to.
final class WrongSubclass: TableViewAdapter {}
