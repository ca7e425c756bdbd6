export {
  type AttributeList,
  findAttribute,
  formatAttributeList,
  parseAttributeList,
  replaceUri,
} from './attribute-list.ts';
export { type PlaylistLine, splitLines } from './playlist-lines.ts';
