// Every endpoint, everything that the contract can say in an event, calls that name people who do not exist,
// and sandboxes, on one service.
import "./every-endpoint.ts"
import "./events/messages.ts"
import "./events/groups.ts"
import "./events/happenings.ts"
import "./events/nobody.ts"
import "./sandbox.ts"
