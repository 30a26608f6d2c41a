/** Ends a command that failed, with the reason. */
export function failCommand({ message }: Error): never {
  console.error(message);
  process.exit(1);
}

/** Ends a command that could not start, with the reason. */
export const failStart = ({ message }: Error): never => failCommand(new Error(`\n${message}\n`));
