// The login.
import { byId, say, signIn } from './application.js';

const [form, name, password] = byId('form', 'name', 'password');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    const { user } = await signIn(name.value, password.value);
    location.assign(user.isAdmin ? '/studio' : '/');
  } catch (error) {
    say(error.message, 'bad');
    password.select();
  }
});
name.focus();
