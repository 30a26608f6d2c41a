import { type Databases, shardNumberOf } from "../common/databases.ts";
import { createDatabasesCommand } from "./command.ts";
import { writeHomesSetting } from "./wrangler-toml.ts";

function setOpen(databases: Databases, binding: string, isOpen: boolean): void {
  if (databases.setting === "")
    throw new Error("There is one database, which takes every new user. `npm run homes -- add` adds another");
  const number = shardNumberOf(databases, binding);
  const { shards } = databases;
  if (shards.find((shard) => shard.number === number)?.isOpen === isOpen) {
    console.log(`${binding} is ${isOpen ? "open" : "closed"} already.`);
    return;
  }
  const changedShards = shards.map((shard) => (shard.number === number ? { ...shard, isOpen } : shard));
  writeHomesSetting(databases, changedShards);
  if (!changedShards.some((shard) => shard.isOpen))
    console.log("Every home is closed now: no one can create an account.");
}

const createOpenCommand = (name: string, description: string, isOpen: boolean) =>
  createDatabasesCommand(name, description, async (databases, command) =>
    setOpen(databases, command.args[0] ?? "", isOpen),
  ).argument("<home>", "its binding, such as DB_2");

export const openCommand = createOpenCommand("open", "lets new users into a home", true);

export const closeCommand = createOpenCommand(
  "close",
  "lets no new users into a home; its current users are not affected",
  false,
);
