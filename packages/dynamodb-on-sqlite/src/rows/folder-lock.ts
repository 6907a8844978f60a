import { mkdirSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { CannotStart, MayPass } from "../cannot-start.ts"

/**
 * File systems that a store must not be on, by the numbers that `statfs` gives (statfs(2), linux/magic.h, and
 * the makers' sources). Those over a network or a cluster, and the folders that a virtual machine shares with
 * its host, are open to machines that see neither our locks nor SQLite's shared memory. What stands behind
 * FUSE cannot be told from here: sshfs, s3fs and rclone say that data is on the disk before it is. virtiofs
 * gives FUSE's number.
 */
const unfit = new Map([
  [0x69_69, "NFS"],
  [0x51_7b, "SMB"],
  [0xff_53_4d_42, "CIFS"],
  [0xfe_53_4d_42, "SMB"],
  [0x56_4c, "NCP"],
  [0x53_46_41_4f, "AFS"],
  [0x6b_41_46_53, "AFS"],
  [0x73_75_72_45, "Coda"],
  [0x00_c3_64_00, "Ceph"],
  [0x0b_d0_0b_d0, "Lustre"],
  [0x19_83_03_26, "BeeGFS"],
  [0x20_03_05_28, "OrangeFS"],
  [0x47_50_46_53, "GPFS"],
  [0xaa_d7_aa_ea, "PanFS"],
  [0x01_16_19_70, "GFS2"],
  [0x74_61_63_6f, "OCFS2"],
  [0x65_73_55_46, "FUSE"],
  [0x01_02_19_97, "9P"],
  [0x78_6f_42_56, "a folder shared by VirtualBox"],
  [0xba_cb_ac_bc, "a folder shared by VMware"],
  [0x7c_7c_66_73, "a folder shared by Parallels"],
])

/** Whether a file system of this number is in memory: tmpfs, ramfs. It is good for a trial. */
export const isInMemory = (type: number): boolean => type === 0x01_02_19_94 || type === 0x85_84_58_f6

/** What to say of a folder that a store must not be in; undefined where it may. */
export function whyUnfit(folder: string, type = statfsSync(folder).type): string | undefined {
  const name = unfit.get(type)
  if (name === undefined) return undefined
  return (
    `${folder} is on ${name}, where locks do not hold or data is not on a disk when that is said: ` +
    "choose a folder on a disk of this machine with DATA_DIR=..."
  )
}

/**
 * Holds the folder, which is made if it is missing.
 * @returns a function that lets it go; the end of this process does so as well
 * @throws CannotStart
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, "store.lock")
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const why = whyUnfit(folder)
    if (why) throw new CannotStart(why)
    // SQLite's lock is the only one that Node has. Nothing is ever stored in this file.
    const held = new DatabaseSync(path)
    held.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
    return () => held.close()
  } catch (error) {
    if (error instanceof CannotStart) throw error
    const isTaken = (error as { errcode?: number }).errcode === busy
    if (isTaken) throw new MayPass(`${folder} is in use by another process`, { cause: error })
    throw unwritable(folder, error as Error)
  }
}
const busy = 5

/** Whether `lockFolder` has refused the folder because another process holds it. */
export function isHeldByAnother(error: unknown): boolean {
  return error instanceof CannotStart && (error.cause as { errcode?: number } | undefined)?.errcode === busy
}

/** The refusal of a folder that cannot be written to. */
export function unwritable(folder: string, cause: Error): CannotStart {
  return new CannotStart(`${folder} cannot be written to: ${cause.message}`, { cause })
}
