// The parts of this folder that need the database. Key-derivation has none, and its image carries no driver.
export { openRows, type Rows } from './open-rows.ts';
export { addRows, type RowCore } from './row-core.ts';
