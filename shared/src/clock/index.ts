export { type Clock, createSystemClock } from './clock.ts';
