/** A refusal waits for its row in the audit, and rows that are written at the same time share that wait. */
const atOnce = 8;

/** Asks for each item, some at a time. @returns the answers in the order of the items */
export async function askInParts<Item, Answer>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    answers.push(...(await Promise.all(items.slice(from, from + atOnce).map(ask))));
  return answers;
}
