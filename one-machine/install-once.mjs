// Runs before `npm start`, `npm test` and `npm run demo`, on any Node that the machine has, so it must need
// nothing else.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"

const obstacle = whatDoesNotFit()
if (obstacle) {
  console.error(obstacle)
  process.exit(1)
}

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

/**
 * Whether every package of the lock file is there in its version. Optional ones may be absent (another
 * platform's).
 */
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
    // Absent or damaged: the installation is not complete.
    return undefined
  }
}

/**
 * The reason why this machine cannot run it. npm brings Node 24 for Linux with glibc on x64 and arm64;
 * elsewhere it must be there already.
 */
function whatDoesNotFit() {
  const { platform, arch, version } = process
  const major = Number(version.slice(1).split(".")[0])
  if (platform === "win32") return "this does not run on Windows itself: use its Linux (WSL)"
  if (platform === "linux" && (arch === "x64" || arch === "arm64") && hasGlibc())
    return major < 20
      ? `this needs Node 20 or newer to install what it runs on; here is ${version}`
      : undefined
  if (major >= 24) return undefined
  return `this needs Node 24 here (nodejs.org): npm brings it for Linux with glibc on x64 and arm64 alone, and this is ${platform} on ${arch} with Node ${version}`
}

/** Alpine, for one, has another C library. */
function hasGlibc() {
  return process.report.getReport().header.glibcVersionRuntime !== undefined
}
