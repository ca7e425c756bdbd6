export { createSeal, type Seal, sealLength } from './seal.ts';
