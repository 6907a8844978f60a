/**
 * Loaded before a child's main program (`node --import`): it asks its parent's store over their IPC channel,
 * which costs less than HTTP. The parent rings for the events that it writes.
 */
import { leaveRingingToOthers } from "#core/event/doorbell.ts"
import { useStoreWithoutHttp } from "#core/store/store.ts"
import { askParent } from "#dynamodb-on-sqlite/over-ipc.ts"

useStoreWithoutHttp(askParent())
leaveRingingToOthers()
