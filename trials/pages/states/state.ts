import type { Page } from "puppeteer-core"
import type { World } from "./world.ts"

/** A page in a state that is not the usual one, and how that is reached. */
export interface State {
  /** What its pictures are called; the page comes first. */
  name: string
  /** The e-mail address of the person who looks; without it, no one is signed in. */
  as?: string
  /**
   * Brings the state about. In the viewer's page it may go on until the state is on the screen.
   * @returns where it is seen, if the page is not there yet
   */
  reach: (world: World, page: Page) => string | Promise<string | void>
  /** What is to be read there in this state, and in no other. */
  reads: string
}
