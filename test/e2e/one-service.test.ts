// Every endpoint, everything that the contract can say in an event, what is said of nobody, and sandboxes, on
// one service.
import "./every-endpoint.ts"
import "./events/messages.ts"
import "./events/groups.ts"
import "./events/happenings.ts"
import "./events/nobody.ts"
import "./sandbox.ts"
