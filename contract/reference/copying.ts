import { createHash } from "node:crypto"

/** The script of the reference: a button that copies, at each piece of code. */
export const copyScript = `
for (const pre of document.querySelectorAll("pre")) {
  const [box, button] = ["div", "button"].map((name) => document.createElement(name))
  box.className = "code"
  button.type = "button"
  button.textContent = "Copy"
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = "Copied"
    setTimeout(() => (button.textContent = "Copy"), 1500)
  })
  pre.replaceWith(box)
  box.append(pre, button)
}`

/**
 * The script's source in a content security policy: the hash of the script as it stands in the page, with the
 * white space around it.
 */
export function scriptHashIn(page: string): string {
  const [, script = ""] = /<script>([^]*?)<\/script>/.exec(page) ?? []
  return `'sha256-${createHash("sha256").update(script).digest("base64")}'`
}
