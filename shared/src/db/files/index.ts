export { copySqlite } from './copy-sqlite.ts';
export {
  FileInUse,
  type HeldRows,
  holdSqlite,
  renewHistory,
  settleSqlite,
  UnusableFile,
} from './sqlite-file.ts';
