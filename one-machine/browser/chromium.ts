import { statSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import chromium from "@sparticuz/chromium"
import { launch, type Browser } from "puppeteer-core"

/**
 * Options by which pages are drawn by a graphics card made of software, which are left out. When a page is
 * left, that card goes down: this held up the next page for 1 to 24 s, on a machine with two busy cores.
 */
const drawing = /^--(?:use-gl|use-angle|enable-unsafe-swiftshader|ignore-gpu-blocklist|in-process-gpu)\b/

/** Options that let any page read any other, as no person's browser does. */
const careless = /^--(?:disable-web-security|allow-running-insecure-content)$/

const always = ["--disable-gpu", "--no-sandbox", "--disable-background-networking", "--no-first-run"]

/**
 * Starts a headless Chromium that came with npm (nothing is downloaded from elsewhere; the first start of a
 * machine unpacks it, which takes some seconds). The caller closes it. `more`: further options of its command
 * line.
 */
export async function startChromium(more: string[] = []): Promise<Browser> {
  const args = chromium.args.filter((one) => !drawing.test(one) && !careless.test(one))
  for (let start = 1; ; start++)
    try {
      const executablePath = ownFile(await chromium.executablePath())
      // A port for its debugger would give all files of this user to every other user of the machine.
      return await launch({
        args: [...args, ...always, ...more],
        executablePath,
        headless: "shell",
        pipe: true,
      })
    } catch (error) {
      // Another process may still be unpacking Chromium. Also, Chromium once ended at its start and gave no
      // reason.
      if (start === 5) throw error
      await sleep(5000)
    }
}

/**
 * The package runs what lies at its place in the folder for temporary files, where every user can put
 * something.
 */
function ownFile(path: string): string {
  if (statSync(path).uid !== process.getuid?.())
    throw new Error(`${path} belongs to another user: remove it, or set TMPDIR to a folder of your own`)
  return path
}

/**
 * Starts a whole Chromium of this machine, with an extension: the one that came with npm knows no extensions.
 * The caller closes it. @param extension the folder of the unpacked extension
 */
export async function startWholeChromium(executablePath: string, extension: string): Promise<Browser> {
  const args = [...always, "--disable-dev-shm-usage"]
  return await launch({ args, executablePath, headless: true, enableExtensions: [extension], pipe: true })
}
