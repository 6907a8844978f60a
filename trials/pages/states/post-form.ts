import type { Page } from "puppeteer-core"

/** Sends a form that the open page does not have, as if it had it. */
export async function post(page: Page, path: string, fields: Record<string, string> = {}): Promise<void> {
  await Promise.all([
    page.waitForNavigation(),
    page.evaluate(
      `(() => {
        const form = Object.assign(document.createElement("form"), { method: "post", action: ${JSON.stringify(path)} })
        for (const [name, value] of Object.entries(${JSON.stringify(fields)}))
          form.append(Object.assign(document.createElement("input"), { name, value }))
        document.body.append(form)
        form.submit()
      })()`,
    ),
  ])
}
