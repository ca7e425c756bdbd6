import type { Page } from 'playwright-core';

/** Something that an admin does on a page, and what the page shows then. */
export interface Interaction {
  name: string;
  /** The page where it begins, within /admin. */
  from: string;
  /** Everything before the timed step. Not timed. */
  prepare?: (page: Page) => Promise<unknown>;
  /** Ends with the keystroke or click from which time is taken. */
  act: (page: Page) => Promise<unknown>;
  shows: Expected;
}

export interface Expected {
  /** An element that exists. */
  selector?: string;
  /** How many rows the table has. */
  rows?: number;
  /** Text in each of those rows. */
  each?: string;
  /** Text anywhere on the page. */
  text?: string;
}
