import { oneOf } from '../parsers.ts';
import { variable } from '../variable.ts';

/** Which content ids get keys. */
export const contentVariables = {
  contentMode: variable({
    name: 'CONTENT_MODE',
    type: oneOf('registered', 'any'),
    fallback: 'registered',
    about: '`any` gives keys for ids that were never registered too.',
  }),
};
