// `npm run check -- metrics-document`: makes docs/metrics.md of the list of metrics in the code.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '@latchkey/support/read-flags';
import { documentPath, renderDocument } from './metrics/render-document.ts';

readFlags(
  `npm run check -- metrics-document: writes ${documentPath} from shared/src/metrics/catalogue.ts\n`,
  {},
);
writeFileSync(join(import.meta.dirname, '..', documentPath), renderDocument());
console.log(`${documentPath} is written`);
