// The name of the user in the corner of a page.
import { loadSession } from './application.js';

/** Writes the name into `#who`. @returns {Promise<object | null>} the user */
export async function showWho() {
  const { user } = await loadSession();
  document.getElementById('who').textContent = user ? `Signed in as ${user.name}` : 'Nobody is signed in';
  return user;
}
