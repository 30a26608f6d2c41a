#!/bin/sh
# Backs up every account into <folder>/<date>, checks the backup, and keeps the newest ones:
#   sh scripts/nightly-backup.sh <folder> [how many to keep; 14]
set -eu

folder=${1:?Name the folder for the backups}
keep=${2:-14}
today=$folder/$(date -u +%Y-%m-%d)

rm -rf "$today.new"
npm run --silent backup -- --all "$today.new"
npm run --silent restore -- "$today.new" --verify
rm -rf "$today"
mv "$today.new" "$today"

find "$folder" -mindepth 1 -maxdepth 1 -type d -name '????-??-??' | sort -r | tail -n "+$((keep + 1))" |
  while IFS= read -r old; do rm -rf "$old"; done
