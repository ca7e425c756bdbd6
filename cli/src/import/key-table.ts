import { isContentId } from '@latchkey/shared/contracts';
import { refusal } from '../refusal.ts';
import { type FoundKey, hideKey, readEpoch, readKeyText } from './imported-key.ts';

const tableHead = 'contentId,epoch,key';

/**
 * The keys of a table: a line of names, then a line for each key. No value has a comma or a quote, so neither is read.
 *
 * @param path for messages
 * @throws AppError `VALIDATION_FAILED` with the line
 */
export function parseKeyTable(text: string, path: string): FoundKey[] {
  const [head = '', ...lines] = text.replace(/^\ufeff/, '').split(/\r?\n/);
  if (head.trim() !== tableHead) throw refusal(`${path}:1: the first line is not "${tableHead}"`);
  const keys = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [parseLine(line, `${path}:${index + 2}`)],
  );
  if (keys.length === 0) throw refusal(`${path} has no key`);
  return keys;
}

function parseLine(line: string, place: string): FoundKey {
  const fields = line.split(',').map((field) => field.trim());
  const [contentId = '', epoch = '', key = ''] = fields;
  if (fields.length !== 3) throw refusal(`${place}: has ${fields.length} values; accepted: ${tableHead}`);
  if (!isContentId(contentId))
    throw refusal(
      `${place}: "${hideKey(contentId)}" cannot be the id of a content; accepted: 1 to 256 of A-Z a-z 0-9 _ -`,
    );
  return { contentId, epoch: readEpoch(epoch, place), key: readKeyText(key, place), place };
}

/** The inverse of {@link parseKeyTable}. */
export function formatKeyTable(keys: readonly Pick<FoundKey, 'contentId' | 'epoch' | 'key'>[]): string {
  const lines = keys.map(({ contentId, epoch, key }) => `${contentId},${epoch ?? ''},${key.toString('hex')}`);
  return `${[tableHead, ...lines].join('\n')}\n`;
}
