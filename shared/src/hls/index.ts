export {
  type AttributeList,
  findAttribute,
  formatAttributeList,
  parseAttributeList,
  replaceUri,
} from './attribute-list.ts';
export { type PlaylistLine, readLines, splitLines } from './playlist-lines.ts';
