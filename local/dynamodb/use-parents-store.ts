/**
 * Loaded before a child's main program (`node --import`): it asks its parent's store over their IPC channel, which costs
 * less than HTTP.
 */
import { useHere } from "#core/store/store.ts"
import { askParent } from "./over-ipc.ts"

useHere(askParent())
