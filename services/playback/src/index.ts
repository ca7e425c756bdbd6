export { mount } from './app.ts';
