import { connect } from "node:net";
import { text } from "node:stream/consumers";

/** Sends exactly these bytes, which no client library would. Returns the status and body. */
export async function raw(url: string, head: string): Promise<{ status: number; body: string }> {
  const { port } = new URL(url);
  const socket = connect(Number(port), "localhost");
  socket.write(`${head}\r\nConnection: close\r\n\r\n`);
  const answer = await text(socket);
  return { status: Number(answer.split(" ")[1]), body: answer.slice(answer.indexOf("\r\n\r\n") + 4) };
}
