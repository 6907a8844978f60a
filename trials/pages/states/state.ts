import type { Page } from "puppeteer-core"
import type { World } from "./world.ts"

/** A page in a state that is not the usual one, and how that is reached. */
export interface State {
  /** What its pictures are called; the page comes first. */
  name: string
  /** Who looks; nobody who is signed in, if it is left out. */
  as?: string
  /**
   * Makes it so. In the page of whoever looks it may go on until the state is on the screen.
   * @returns where it is seen, if the page is not there yet
   */
  reach: (world: World, page: Page) => string | Promise<string | void>
  /** What is to be read there in this state, and in no other. */
  reads: string
}
