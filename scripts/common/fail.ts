/** Ends a command that failed, with the reason. */
export function failCommand({ message }: Error): never {
  console.error(message);
  process.exit(1);
}

/** Ends a command that could not start, with the reason between blank lines, which set it apart from other output. */
export const failStart = ({ message }: Error): never => failCommand(new Error(`\n${message}\n`));
