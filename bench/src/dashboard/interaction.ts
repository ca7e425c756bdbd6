import type { Page } from 'playwright-core';

/** Something that an admin does on a page, and what is then to be seen. */
export interface Interaction {
  name: string;
  /** Where it begins, within /admin. */
  from: string;
  /** Brings the page to where the act is one step away. Not timed. */
  prepare?: (page: Page) => Promise<unknown>;
  /** Ends with the keystroke or click that is timed. */
  act: (page: Page) => Promise<unknown>;
  /** What the screen shows then. */
  shows: Expected;
}

export interface Expected {
  /** A selector that is there. */
  selector?: string;
  /** How many rows the table has. */
  rows?: number;
  /** What every one of those rows says. */
  each?: string;
  /** What is said somewhere on the page. */
  text?: string;
}
