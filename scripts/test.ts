// `npm test`: everything that is tested, or what the arguments name.
import { runTests } from './run-tests.ts';

process.exitCode = await runTests(process.argv.slice(2), process.env);
