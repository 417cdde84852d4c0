// Makes the temporary folder of the library's tests available to the tests of the tool.

import TestSupport

typealias TemporaryFolder = TestSupport.TemporaryFolder
