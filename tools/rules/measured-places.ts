import { documents } from '@latchkey/support/measured/documents';
import { commands } from '../commands.mjs';

/** Finds measurements without their place in a document, and places without figures of a command that exists. */
export function findUnmeasuredPlaces(files: readonly string[], read: (file: string) => string): string[] {
  const places = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...read(file).matchAll(/<!-- measured: (\S+) -->\n(.*)\n/g)].map(([, part = '', said = '']) => {
        const [, script = '', word = ''] =
          /^Measured by `npm (?:run )?(\w+)(?: -- ([^\s`]+))?[^`]*` on one machine/.exec(said) ?? [];
        return { file, part, isFilled: script === 'bench' || word in (commands[script]?.words ?? {}) };
      }),
    );
  const missing = Object.entries(documents).flatMap(([part, inFiles]) =>
    inFiles
      .filter((file) => !places.some((place) => place.file === file && place.part === part))
      .map((file) => `${file} has no place for the figures of ${part}`),
  );
  const wrong = places.filter(({ file, part, isFilled }) => !isFilled || !documents[part]?.includes(file));
  return [...missing, ...wrong.map(({ file, part }) => `${file}: no command writes the figures of ${part}`)];
}
