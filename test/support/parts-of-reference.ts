import { app } from "#test/support/service/app.ts"

/** The parts of the reference, as the addresses in its contents name them. */
export async function partsOfReference(): Promise<string[]> {
  const page = await (await app.request("/api/docs")).text()
  const [contents = ""] = /<nav[^]*?<\/nav>/.exec(page) ?? []
  return [...new Set([...contents.matchAll(/href="\?part=([\w-]+)/g)].map(([, part = ""]) => part))]
}
