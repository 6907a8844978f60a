// Everything that the contract can say in an event, and what is said of nobody, on one service.
import "./events/messages.ts"
import "./events/groups.ts"
import "./events/happenings.ts"
import "./events/nobody.ts"
