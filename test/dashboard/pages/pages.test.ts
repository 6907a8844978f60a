// One file of tests for the pages: they share a store.
import "#test/support/store.ts"
import "./streams.ts"
import "./operator.ts"
import "./strangers.ts"
import "./people.ts"
import "./secrets.ts"
import "./evidence.ts"
import "./forms.ts"
