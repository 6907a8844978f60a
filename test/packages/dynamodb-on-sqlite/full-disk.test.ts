import { expect, onTestFinished, test } from "vitest"
import { openFile } from "#dynamodb-on-sqlite/rows/sqlite-file.ts"
import { canMount, mountSmallDisk } from "#test/support/small-disk.ts"

test.skipIf(!canMount())(
  "on a full disk, the store can be changed as often as one likes: the log begins anew in its room",
  async () => {
    const disk = mountSmallDisk(8)
    onTestFinished(disk.remove)
    const earlier = openFile(disk.folder)
    await earlier.commit([["CREATE TABLE counts (name TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID"]])
    await earlier.commit([["INSERT INTO counts VALUES (?, ?)", "texts", 0]])
    await earlier.close()

    const file = openFile(disk.folder)
    onTestFinished(file.close)
    const count = async () =>
      await file.commit([["UPDATE counts SET count = count + 1 WHERE name = ?", "texts"]])
    await count()
    disk.fill(100_000)
    // Each takes a page of the log: twenty times the room that is left.
    for (let n = 1; n < 500; n++) await count()
    expect(file.db.prepare("SELECT count FROM counts").get()).toEqual({ count: 500 })
  },
)
