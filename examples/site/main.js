// The invented login.
import { loadSession, signIn } from './application.js';

const people = document.getElementById('people');
const status = document.getElementById('status');

function show({ user, users }) {
  status.textContent = user ? `Signed in as ${user.name}.` : 'Nobody is signed in.';
  people.replaceChildren(...users.map((one) => entryOf(one, one.id === user?.id)));
}

function entryOf({ id, name, about }, isSignedIn) {
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'person' });
  const words = Object.assign(document.createElement('span'), { textContent: about });
  button.append(Object.assign(document.createElement('strong'), { textContent: name }), words);
  button.setAttribute('aria-pressed', String(isSignedIn));
  button.addEventListener('click', async () => {
    try {
      await signIn(id);
      show(await loadSession());
      people.querySelector('[aria-pressed="true"]')?.focus();
    } catch (error) {
      status.textContent = error.message;
    }
  });
  const item = document.createElement('li');
  item.append(button);
  return item;
}

try {
  show(await loadSession());
} catch (error) {
  status.textContent = error.message;
}
