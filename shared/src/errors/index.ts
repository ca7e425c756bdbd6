export { AppError } from './app-error.ts';
export { codes, type ErrorCode } from './codes.ts';
export { problems, toProblem } from './problem.ts';
