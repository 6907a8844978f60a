/**
 * Some of many things at a time, each in its turn: a look at them takes as long however many there are, and
 * the next one goes on where it was.
 */
export class Turns {
  readonly #most: number
  /** The turn that each had last. */
  #had = new Map<string, number>()
  #turn = 0

  constructor(most: number) {
    this.#most = most
  }

  /** The next of these: first those that had no turn yet, in their order. Others are forgotten. */
  next<Thing extends { id: string }>(all: Thing[]): Thing[] {
    const had = (thing: Thing) => this.#had.get(thing.id) ?? 0
    const now = all.toSorted((a, b) => had(a) - had(b)).slice(0, this.#most)
    this.#turn++
    this.#had = new Map([
      ...all.map((thing) => [thing.id, had(thing)] as const),
      ...now.map(({ id }) => [id, this.#turn] as const),
    ])
    return now
  }
}
