import chromium from "@sparticuz/chromium"
import { launch, type Browser } from "puppeteer-core"

/**
 * Starts a headless Chromium that came with npm (nothing is downloaded from elsewhere; the first start of a machine
 * unpacks it, which takes some seconds). The caller closes it.
 */
export async function startBrowser(): Promise<Browser> {
  return launch({
    args: [...chromium.args, "--no-sandbox", "--disable-background-networking", "--no-first-run"],
    executablePath: await chromium.executablePath(),
    headless: "shell",
  })
}
