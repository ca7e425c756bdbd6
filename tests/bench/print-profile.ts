// node tests/bench/print-profile.ts FILE [SECONDS]: the functions of a .cpuprofile by their own time, as a table. Only the last so many seconds count.
import { readOwnTimes } from './proc/cpu-profile.ts';
import { table } from './table.ts';

/** The rest is below a hundredth each. */
const shown = 45;
const [, , path = '', seconds = 'Infinity'] = process.argv;
const rows = readOwnTimes(path, Number(seconds)).slice(0, shown);
console.log(
  table(
    ['own time', 'function'],
    rows.map(({ place, share }) => [`${(share * 100).toFixed(1)} %`, place]),
  ),
);
