/**
 * The thread that writes, so that a slow disk does not block the event loop. It commits one list of steps
 * after the other.
 */
import { DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"
import { newCommitter, pragmas, type Step } from "./commit.ts"

const db = new DatabaseSync(String(workerData))
db.exec(pragmas)
const commit = newCommitter(db)

parentPort!.on("message", (steps: Step[] | "close") => {
  if (steps === "close") {
    db.close()
    parentPort!.close()
    return
  }
  try {
    commit(steps)
    parentPort!.postMessage(undefined)
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number } // SQLite's own
    parentPort!.postMessage({ message, errcode })
  }
})
