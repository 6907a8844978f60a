// One file of tests for the pages: they share a store.
import "#test/support/store.ts"
import "./streams.ts"
import "./operator.ts"
import "./strangers.ts"
import "./people.ts"
import "./keys-and-secrets.ts"
import "./number-state.ts"
import "./forms.ts"
