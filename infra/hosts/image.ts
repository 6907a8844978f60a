import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { accountId, region } from "../stage/stage.ts"

/** Where SST keeps the images of an account. */
const repository = "sst-asset"

/**
 * The image of one of our Dockerfiles, in the account's registry. Its name says what is in it, and nothing
 * about where it was built: a deploy of the same commit from another folder or machine names the same image,
 * and so replaces no host. It is built only if the registry lacks it, and not by `sst diff`.
 */
export function imageOf(dockerfile: string): $util.Output<string> {
  return $util.all([accountId, region]).apply(async ([account, inRegion]) => {
    const files = filesOf(dockerfile)
    const [folder, name] = dockerfile.split("/")
    const kind = name === "Dockerfile" ? folder : name.replace(".Dockerfile", "-host")
    const tag = `${$app.name}-${kind}-${hashOf(files)}`
    const image = `${account}.dkr.ecr.${inRegion}.amazonaws.com/${repository}:${tag}`
    if (!$util.runtime.isDryRun() && !(await isThere(tag))) await build(image, dockerfile, files)
    return image
  })
}

interface File {
  path: string
  content: Buffer
  /** The other bits follow the umask of whoever has checked it out. */
  isProgram: boolean
}

/**
 * What Docker is given: what the Dockerfile copies, as far as git knows it. Of a workspace that is not copied
 * by itself only its package.json is read, by npm.
 */
function filesOf(dockerfile: string): File[] {
  const { root } = $cli.paths
  const lines = readFileSync(join(root, dockerfile), "utf8").matchAll(/^COPY (?!--from)(.+) \S+$/gm)
  const copied = [...lines].flatMap(([, sources]) => sources.split(" "))
  const wanted = copied.map((source) => (source === "packages" ? ":(glob)packages/*/package.json" : source))
  const listed = run(
    "git",
    ["ls-files", "-z", "-co", "--exclude-standard", "--", ...wanted, dockerfile],
    root,
  )
  const paths = new Set(listed.split("\0").filter((path) => path !== "" && existsSync(join(root, path))))
  return [...paths].toSorted().map((path) => ({
    path,
    content: readFileSync(join(root, path)),
    isProgram: (statSync(join(root, path)).mode & 0o100) !== 0,
  }))
}

function hashOf(files: File[]): string {
  const hash = createHash("sha256")
  for (const { path, content, isProgram } of files)
    hash.update(JSON.stringify([path, isProgram, content.length])).update(content)
  return hash.digest("hex").slice(0, 24)
}

async function isThere(tag: string): Promise<boolean> {
  // If it cannot be asked for another reason, the build says so.
  return await aws.ecr.getImage({ repositoryName: repository, imageTag: tag }).then(
    () => true,
    () => false,
  )
}

/** Builds an image for the processor of the hosts, and pushes it. */
async function build(image: string, dockerfile: string, files: File[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "image-"))
  try {
    // In the image others than its owner read it, whatever this machine's umask is.
    for (const { path, content, isProgram } of files) {
      for (let at = dirname(path); at !== "."; at = dirname(at)) {
        mkdirSync(join(folder, at), { recursive: true })
        chmodSync(join(folder, at), 0o755)
      }
      writeFileSync(join(folder, path), content)
      chmodSync(join(folder, path), isProgram ? 0o755 : 0o644)
    }
    const { userName, password, proxyEndpoint } = await aws.ecr.getAuthorizationToken({})
    run("docker", ["login", "--username", userName, "--password-stdin", proxyEndpoint], folder, password)
    const how = ["--platform", "linux/arm64", "--provenance=false", "--push"]
    run("docker", ["buildx", "build", ...how, "--file", dockerfile, "--tag", image, "."], folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function run(command: string, args: string[], cwd: string, input = ""): string {
  // A build says a lot.
  const how = { cwd, input, encoding: "utf8", maxBuffer: 2 ** 28 } as const
  const { status, stdout, stderr, error } = spawnSync(command, args, how)
  if (status !== 0)
    throw new Error(`${command} ${args[0]} failed, for the image of the session hosts: ${error ?? stderr}`)
  return stdout
}
