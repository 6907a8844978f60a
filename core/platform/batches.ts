/** The items in their order, in batches of this size; the last batch may be smaller. */
export async function* batches<Item>(items: AsyncIterable<Item>, atOnce: number): AsyncGenerator<Item[]> {
  let some: Item[] = []
  for await (const item of items) {
    if (some.push(item) < atOnce) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}
