import { join } from 'node:path';

/** The root folder of this repository. */
export const repositoryFolder = join(import.meta.dirname, '../..');
