import { cutCredentials, idInPlaceOf, takeToken } from './find-credential.ts';

/** The attribute of a field that accepts text which other fields cut: a whole credential, or a token to ask the server about. */
const takesAttribute = 'data-takes';
/** The attribute of a field that takes an ID: of a `content`, of a `lease`, or one in each of its `lines`. */
const namesAttribute = 'data-names';

/** An API key, or a part of one that is longer than its prefix. Its end can be cut during typing, because the prefix stays. */
const keyAtEnd = /lk_[0-9a-f]{8}(?=[0-9a-f])/i;

type Field = HTMLInputElement | HTMLTextAreaElement;

/**
 * Cuts credentials that are typed or pasted into a field to what identifies them, before any page sees them. So they get into no address, no
 * history and no request, whatever the page does with its fields.
 *
 * A token that is typed letter by letter is cut once the field is left or its form is sent: cut earlier, its rest would be typed behind the cut.
 * A field that searches during typing sends only `idInPlaceOf`.
 */
export function cutTypedCredentials(page: Document): void {
  const cut = (event: Event) => {
    const { target } = event;
    if (!isField(target)) return;
    const isTyped = (event as InputEvent).inputType === 'insertText';
    if (isTyped && !keyAtEnd.test(target.value)) return;
    const kept = keptOf(target);
    if (kept === target.value) return;
    // React overwrites the property of the element itself, and would take this change for its own.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), 'value')?.set?.call(target, kept);
    if (event.type === 'change') target.dispatchEvent(new Event('input', { bubbles: true }));
  };
  page.addEventListener('input', cut, { capture: true });
  page.addEventListener('change', cut, { capture: true });
}

function isField(target: EventTarget | null): target is Field {
  if (target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && /^(text|search|url)$/.test(target.type);
}

function keptOf(field: Field): string {
  const takes = field.getAttribute(takesAttribute);
  if (takes === 'credential') return field.value;
  if (takes === 'token') return takeToken(field.value);
  const names = field.getAttribute(namesAttribute);
  if (names === 'lines')
    return field.value
      .split('\n')
      .map((line) => idInPlaceOf(line))
      .join('\n');
  if (names !== null || field.type === 'search')
    return idInPlaceOf(field.value, names === 'content' ? 'content' : 'anything');
  return cutCredentials(field.value);
}

/**
 * Cuts credentials in the address that the page was opened with, such as an old bookmark, in its history entry too.
 *
 * Call it before anything reads the address.
 */
export function cutAddress({ location, history }: Pick<Window, 'location' | 'history'>): void {
  const address = new URL(location.href);
  const isContent = (name: string) => name === 'content';
  const params = [...address.searchParams].map(([name, value]): [string, string] => [
    cutCredentials(name),
    idInPlaceOf(value, isContent(name) ? 'content' : 'anything'),
  ]);
  const query = new URLSearchParams(params.filter(([, value]) => value !== ''));
  const path = cutCredentials(address.pathname);
  const hash = cutCredentials(address.hash);
  const isSame =
    path === address.pathname &&
    hash === address.hash &&
    params.every(([name, value]) => address.searchParams.getAll(name).includes(value));
  if (!isSame) history.replaceState(history.state, '', `${path}${query.size > 0 ? `?${query}` : ''}${hash}`);
}
