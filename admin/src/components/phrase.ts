import { createElement, Fragment, type ReactNode } from 'react';

/** A text with elements in it: phrase`by ${<Actor />}, for ${reason}`. JSX would need `{' '}` for each space at the end of a line. */
export function phrase(texts: TemplateStringsArray, ...parts: readonly ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...texts.flatMap((text, n) => [text, parts[n]]));
}
