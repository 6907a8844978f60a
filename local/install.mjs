// Runs before `npm start`, `npm test` and `npm run demo`, on whatever Node the machine has: it must need nothing.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"

const root = new URL("..", import.meta.url)
const wanted = packages("package-lock.json")
const present = packages("node_modules/.package-lock.json")

if (!isComplete()) {
  console.error("installing what is missing (npm ci, once)...")
  const install = spawnSync(
    "npm",
    ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    {
      cwd: root,
      stdio: ["ignore", 2, 2],
    },
  )
  if (install.status !== 0) {
    console.error("npm ci failed: the lines above say why")
    process.exit(install.status ?? 1)
  }
}

/** Every package of the lock file is there in its version; what is optional may be absent (another platform's). */
function isComplete() {
  if (!wanted || !present) return false
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === "") return true
    return path in present ? present[path].version === version : optional === true
  })
}

function packages(file) {
  try {
    return JSON.parse(readFileSync(new URL(file, root), "utf8")).packages
  } catch {
    // Absent or torn: the installation is not complete.
    return undefined
  }
}
