// expected error: no such module 'UIKit'
import UIKit
