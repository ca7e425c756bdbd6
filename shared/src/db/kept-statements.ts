/** Statements of this form take their rows as one value (`rowList`), so each has one text for any number of rows. */
const takesRows = /\bunnest\(/;
/** Far more than there are such statements. Each session keeps each of them for as long as it lasts. */
const mostKept = 64;

/**
 * A session plans its kept statements again after this number of runs, for tables as large as they are by then. Postgres itself does so only when it has
 * counted the rows of a table, a minute later or more, and a plan from when there were few leases reads all of them for each new one. That
 * halved the creations of a new server. A hundred runs are some 25 transactions, and the plans take 1 % of their time.
 */
export const runsOfPlans = 100;

/**
 * Names the statements that a session of Postgres prepares at their first use and then only runs. Other texts are not kept: the plan
 * for lists depends on their values.
 *
 * Kept statements take many rows as one value. For a transaction of 30 new leases, parsing and planning them took a quarter of the time of
 * Postgres, and a tenth of the time of the process that sends them.
 *
 * @returns the name for a text, which is the same each time; undefined if it is not kept
 */
export function createStatementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size === mostKept || !takesRows.test(text)) return known;
    const name = `latchkey-${names.size}`;
    names.set(text, name);
    return name;
  };
}
