// The folder that tests of the library use serves those of the tool.

import TestSupport

typealias TemporaryFolder = TestSupport.TemporaryFolder
