export { copySqlite } from './copy-sqlite.ts';
export { FileInUse, holdSqlite } from './hold-sqlite.ts';
export { type HeldRows, renewHistory, settleSqlite } from './inspect-sqlite.ts';
export { UnusableFile } from './unusable-file.ts';
