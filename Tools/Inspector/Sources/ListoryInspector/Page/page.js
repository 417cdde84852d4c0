// The page: begins when the document is there.
